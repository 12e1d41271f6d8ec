/** The records on the wire, as far as a member reads and writes them, and JSON. */
package trimtab.protocol;
