/** Moves the focus to the heading of the page. */
export const focusHeading = (): void => document.querySelector<HTMLElement>("main h1[tabindex]")?.focus()

/** Does so after an element was removed, if that had the focus. */
export const keepFocus = (): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) focusHeading()
  })
}
