/** On macOS, Ctrl-E leads to the end of a line in every field. */
export const isApple = /^(Mac|iP)/.test(navigator.platform)

/** The members of an event of the keyboard that say what is pressed. */
interface PressedKey {
  readonly key: string
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}

/** Whether a letter is pressed with Ctrl, on macOS ⌘, alone: there, Ctrl-E leads to the end of a line in every field. */
export const isWithControl = ({ altKey, ctrlKey, key, metaKey, shiftKey }: PressedKey, letter: string): boolean =>
  key.toLowerCase() === letter && !altKey && !shiftKey && metaKey === isApple && ctrlKey === !isApple

/** A combination of keys as the system writes it: `Ctrl-K`, on macOS `⌘K`. */
export const keyName = (key: string, isOfApple = isApple): string =>
  isOfApple
    ? key
        .replaceAll(/Ctrl-/g, "⌘")
        .replaceAll(/Shift-/g, "⇧")
        .replaceAll(/Alt-/g, "⌥")
    : key
