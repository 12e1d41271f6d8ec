/** A member of a trimtab group, for programs in Java. Begin with {@link trimtab.Member}. */
package trimtab;
