/** A consumer of Kafka that reads what a member was granted. Begin with {@link trimtab.kafka.TrimtabConsumer}. */
package trimtab.kafka;
