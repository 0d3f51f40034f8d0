import type { Gesture } from "./Gesture.ts"
import { pullAt } from "./Pull.ts"
import { swipeAt } from "./Swipe.ts"

/** Pixels that a finger moves before it is clear what it does. */
const undecided = 10

/** The note that is read is in a frame, whose touches do not reach the page. Places on the screen are the same for both. */
const frames = "iframe.note-html"

/** Follows one finger on a page, or on the page of a frame, until the browser does something else with it. */
const followOn = (page: Document, frame?: Element): void => {
  let gesture: Gesture | undefined
  let isFollowed = false
  let start = { x: 0, y: 0 }
  const stop = () => {
    if (isFollowed) gesture?.cancel()
    gesture = undefined
    isFollowed = false
  }
  const way = ({ screenX, screenY }: Touch) => [screenX - start.x, screenY - start.y] as const
  page.addEventListener(
    "touchstart",
    ({ target, touches }) => {
      stop()
      const [finger, ...others] = touches
      if (finger === undefined || others.length > 0) return
      start = { x: finger.screenX, y: finger.screenY }
      const element = target as Element
      gesture = swipeAt(element, frame ?? element, finger) ?? pullAt(frame ?? element)
    },
    { passive: true }
  )
  page.addEventListener(
    "touchmove",
    (event) => {
      const finger = event.touches[0]
      if (gesture === undefined || finger === undefined) return
      const [right, down] = way(finger)
      if (!isFollowed) {
        if (Math.hypot(right, down) < undecided) return
        // The browser scrolls, or words are being selected.
        if (!event.cancelable || page.getSelection()?.isCollapsed === false || !gesture.isBegun(right, down))
          return stop()
        isFollowed = true
      }
      event.preventDefault()
      gesture.follow(right, down)
    },
    { passive: false }
  )
  page.addEventListener("touchend", ({ changedTouches }) => {
    const finger = changedTouches[0]
    const ended = isFollowed ? gesture : undefined
    isFollowed = false
    gesture = undefined
    if (finger !== undefined) ended?.end(...way(finger))
  })
  page.addEventListener("touchcancel", stop)
}

/** Follows the gestures of phones: a swipe from a note back to the list, and a pull of the list, which reads it again. */
export const followTouch = (): void => {
  const onFrame = (element: Element) => {
    const page = (element as HTMLIFrameElement).contentDocument
    if (page !== null) followOn(page, element)
  }
  followOn(document)
  for (const frame of document.querySelectorAll(frames)) onFrame(frame)
  document.addEventListener(
    "load",
    ({ target }) => (target as Element).matches?.(frames) && onFrame(target as Element),
    true
  )
}
