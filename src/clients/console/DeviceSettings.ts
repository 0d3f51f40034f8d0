/** Choices of this device, which stay when the page is closed, and say nothing about the content of notes. */
const placeOf = (name: string): string => `sheaf ${name}`

/** Returns what was chosen last; undefined if nothing was, or the browser refuses the storage. */
export const chosen = (name: string): unknown => {
  try {
    return JSON.parse(localStorage.getItem(placeOf(name)) ?? "null") ?? undefined
  } catch (error) {
    console.warn(error)
    return undefined
  }
}

export const choose = (name: string, value: unknown): void => {
  try {
    localStorage.setItem(placeOf(name), JSON.stringify(value))
  } catch (error) {
    // The choice then holds until the page is closed.
    console.warn(error)
  }
}
