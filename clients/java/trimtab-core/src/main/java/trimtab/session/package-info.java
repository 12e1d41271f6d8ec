/**
 * One member's state machine, without I/O: the twin of {@code trimtab.session} in Python.
 *
 * <p>The same test vectors play both, {@code clients/vectors}. Names are the same, so that who knows
 * one can read the other; the argument why it is safe is in {@code docs/protocol.md}.
 */
package trimtab.session;
