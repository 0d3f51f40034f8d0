import "./SharedParts.ts"
import { followTouch } from "./touch/Touch.ts"
import { followUpdates } from "./Updates.ts"
import "./style/TouchStyle.ts"

/**
 * What the page needs soon after it is shown, or when it has no network: gestures, updates, prints, and the copy of notes on
 * this device. It is one file.
 */
export { copyOf, keepCopy } from "./offline/OfflineCopy.ts"
export { notKept } from "./offline/OfflineMessages.ts"
export { renderHere } from "./offline/OfflineRendering.ts"
export { followShared } from "./notes/SharedArrivals.ts"
export { printWhole } from "./reading/Printing.ts"

export const afterStart = async (): Promise<void> => {
  followTouch()
  // Without it, such as by plain HTTP from another host, the console works, but needs the network to open.
  if ("serviceWorker" in navigator) await followUpdates()
}
