package trimtab.rocketmq.broker;

import org.apache.rocketmq.broker.client.ClientChannelInfo;
import org.apache.rocketmq.broker.client.ConsumerGroupEvent;
import org.apache.rocketmq.broker.client.ConsumerIdsChangeListener;
import org.apache.rocketmq.broker.client.ConsumerManager;

/**
 * Hears when this broker loses a client: its channel has closed, or it was silent for too long.
 *
 * <p>A client that leaves in good order is heard as well, and says so itself by a request.
 */
final class LostClients implements ConsumerIdsChangeListener {
    private final ConsumerManager clients;
    private final HookSettings settings;
    private final Copies copies;
    private final Troubles troubles;

    LostClients(ConsumerManager clients, HookSettings settings, Copies copies, Troubles troubles) {
        this.clients = clients;
        this.settings = settings;
        this.copies = copies;
        this.troubles = troubles;
    }

    @Override
    public void handle(ConsumerGroupEvent event, String group, Object... about) {
        try {
            if (event != ConsumerGroupEvent.CLIENT_UNREGISTER || !settings.follows(group)) {
                return;
            }
            String client = ((ClientChannelInfo) about[0]).getClientId();
            // It may be back over another channel already, or have left by itself.
            if (Room.areNames(client) && clients.findChannel(group, client) == null && !TrimtabHook.isUnregistering()) {
                copies.lost(client, group);
            }
        } catch (RuntimeException e) {
            troubles.tell("a client that is gone was not noticed", e.toString());
        }
    }

    @Override
    public void shutdown() {
        // the threads of the hook end with the broker's process
    }
}
