package trimtab.session;

/** How a session ended. */
public enum Ending {
    /** In good order: everything was released and the controller knows. */
    LEFT,
    /** A younger process has the name; coming back would only start a fight. */
    REPLACED,
    /** Time was up, or all was lost; the controller will find out by silence. */
    ABANDONED
}
