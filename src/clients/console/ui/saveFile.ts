/** Saves what is at an address as a file, as a click at a link does. */
export const saveFrom = (href: string, name = ""): void => {
  Object.assign(document.createElement("a"), { href, download: name }).click()
}

/** Saves a content as a file. */
export const saveFile = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content)
  saveFrom(address, name)
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
