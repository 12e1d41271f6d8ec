/**
 * The controller's shares for clients that let their broker rebalance, told by the broker.
 *
 * <p>{@link trimtab.rocketmq.broker.TrimtabHook} is what a broker loads. What it hears goes through
 * {@code Copies} to Kafka; what the controller answers comes through {@code Follower} into {@code Shares}.
 */
package trimtab.rocketmq.broker;
