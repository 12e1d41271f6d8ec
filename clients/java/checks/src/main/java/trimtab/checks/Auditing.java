package trimtab.checks;

import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/** A hook of a broker's, as an operator may have one; it says that it hears requests. */
public final class Auditing implements RPCHook {
    private boolean hasSaidSo;

    /** Made by the broker. */
    public Auditing() {}

    @Override
    public synchronized void doBeforeRequest(String from, RemotingCommand request) {
        if (!hasSaidSo) {
            hasSaidSo = true;
            System.out.println("audits");
        }
    }

    @Override
    public void doAfterResponse(String from, RemotingCommand request, RemotingCommand response) {
        // what was asked is enough
    }
}
