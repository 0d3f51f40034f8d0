/** Moves the focus to the heading of the page, such as after the element that had it was removed. */
export const focusHeading = (): void => document.querySelector<HTMLElement>("main h1[tabindex]")?.focus()
