/** Reads the list of notes again that is shown. A pull of the list calls it. */
export const refreshing: { now?: () => Promise<void> } = {}
