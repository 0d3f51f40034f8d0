import type { Gesture } from "./Gesture.ts"
import { refreshing } from "./Refreshing.ts"
import { glide } from "./Swipe.ts"

/** Pixels that the list follows a finger at most, and those from which it is read again. */
const longest = 96
const enough = 56

/** The pull of a list that is at its beginning, which reads it again. */
export const pullAt = (touched: Element): Gesture | undefined => {
  const list = touched.closest<HTMLElement>(".pane.list .windowed")
  if (list === null || list.scrollTop > 0) return undefined
  const sign = Object.assign(document.createElement("div"), { className: "pull", textContent: "↓", ariaHidden: "true" })
  const pulled = (down: number) => Math.min(longest, Math.max(0, down / 2))
  const settle = async (to: string) => {
    const from = list.style.transform
    list.style.transform = to
    await glide(list, from, to)
  }
  const leave = async () => {
    await settle("none")
    list.style.transform = ""
    sign.remove()
  }
  return {
    isBegun: (right, down) => down > 0 && down > 2 * Math.abs(right),
    follow: (_, down) => {
      if (!sign.isConnected) list.before(sign)
      sign.classList.toggle("enough", pulled(down) >= enough)
      list.style.transform = `translateY(${pulled(down)}px)`
    },
    end: async (_, down) => {
      if (pulled(down) >= enough) {
        sign.classList.add("reading")
        await Promise.all([settle(`translateY(${enough}px)`), refreshing.now?.()])
      }
      await leave()
    },
    cancel: () => void leave()
  }
}
