/** The member's side of its guard: who is told what is held, and releases it when this process is dead. */
package trimtab.guard;
