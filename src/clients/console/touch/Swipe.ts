import type { Gesture } from "./Gesture.ts"

/** Where a finger has another meaning. */
const others = ".cm-editor, input, textarea, select, dialog, [popover]"

/** Pixels at the edge of the screen, where the browser has a gesture of its own. */
const edge = 20

/** The part of the width that a swipe needs. */
const far = 1 / 4

/** Whether a table, or a block of code, can be scrolled sideways there. */
const scrollsSideways = (element: Element | null): boolean => {
  if (element === null) return false
  const { overflowX } = getComputedStyle(element)
  const canScroll = element.scrollWidth > element.clientWidth && (overflowX === "auto" || overflowX === "scroll")
  return canScroll || scrollsSideways(element.parentElement)
}

/** Moves an element to its place, at once for people who want no motion. */
export const glide = (element: HTMLElement, from: string, to: string): Promise<unknown> => {
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 160
  return element.animate([{ transform: from }, { transform: to }], { duration, easing: "ease-out" }).finished
}

/** The swipe from a note back to the list, where a page shows one of both. */
export const swipeAt = (touched: Element, inPage: Element, { screenX }: Touch): Gesture | undefined => {
  const pane = inPage.closest<HTMLElement>(".pane.note")
  const back = pane?.querySelector<HTMLElement>(".back")
  if (pane === null || back == null || back.offsetParent === null || screenX < edge) return undefined
  if (touched.closest(others) !== null || scrollsSideways(touched)) return undefined
  const shell = pane.closest(".shell")!
  const moved = (right: number) => `translateX(${Math.max(0, right)}px)`
  const settle = async (isBack: boolean) => {
    const to = isBack ? `translateX(${pane.clientWidth}px)` : "none"
    const from = pane.style.transform
    pane.style.transform = to
    await glide(pane, from, to)
    if (isBack) back.click()
    pane.style.transform = ""
    shell.classList.remove("swiping")
  }
  return {
    isBegun: (right, down) => right > 0 && right > 2 * Math.abs(down),
    follow: (right) => {
      shell.classList.add("swiping")
      pane.style.transform = moved(right)
    },
    end: (right) => void settle(right > far * pane.clientWidth),
    cancel: () => void settle(false)
  }
}
