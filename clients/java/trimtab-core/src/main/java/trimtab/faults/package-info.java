/** Which brokers to avoid: what a producer saw of them, and what the controller says of them. */
package trimtab.faults;
