/** On macOS, Ctrl-E leads to the end of a line in every field. */
export const isApple = /^(Mac|iP)/.test(navigator.platform)
