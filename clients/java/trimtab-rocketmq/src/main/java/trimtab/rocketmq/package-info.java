/** RocketMQ's consumers as members of trimtab. Begin with {@link trimtab.rocketmq.Trimtab}. */
package trimtab.rocketmq;
