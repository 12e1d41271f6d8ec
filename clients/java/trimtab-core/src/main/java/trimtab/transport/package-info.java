/** The way to Kafka, over kafka-clients: a thin translation that decides nothing. */
package trimtab.transport;
