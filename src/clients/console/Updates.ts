import { texts } from "./Messages.ts"
import { pathTo } from "./PageData.ts"
import { notify } from "./ui/Notices.tsx"

/** What is open where a person writes, chooses or decides: a reload would disturb it. */
const busy = ".writing, dialog[open], .selecting"

/** Pages with lists and notes. Settings, pages of the server and the start have forms, and secrets that are shown once. */
const reading = ".shell:not(.settings)"

/**
 * Whether a reload now disturbs no one: the page is hidden, and shows lists and notes to read. Unsent texts are stored in the
 * browser by then, unless a part of the page objects to its end.
 */
const isSafe = (): boolean =>
  document.visibilityState === "hidden" &&
  document.querySelector(reading) !== null &&
  document.querySelector(busy) === null &&
  dispatchEvent(new Event("beforeunload", { cancelable: true }))

/** Lets the worker of the new version take over, if no other tab needs the files of the earlier one. Returns whether it does. */
const takenOver = ({ waiting }: ServiceWorkerRegistration): Promise<boolean> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data as boolean)
    if (waiting === null) resolve(false)
    else waiting.postMessage("update", [port2])
  })

/** Starts the service worker. When the server has a new version, offers to reload the page, and does it as soon as that is safe. */
export const followUpdates = async (): Promise<void> => {
  const { serviceWorker } = navigator
  const registration = await serviceWorker.register(pathTo("/sw.js"), { scope: pathTo("/") })
  /** The version that the server had when this page was loaded. Loaded again, the page would be the same. */
  const loaded = registration.waiting
  const update = async (): Promise<void> => {
    await takenOver(registration)
    location.reload()
  }
  const updateHidden = async (): Promise<void> => {
    const { waiting } = registration
    if ((await takenOver(registration)) || waiting !== loaded) location.reload()
  }
  registration.addEventListener("updatefound", () => {
    // The first worker is that of this page.
    if (serviceWorker.controller === null) return
    notify(texts.newVersionOfServer, { label: texts.reload, run: () => void update() })
  })
  document.addEventListener("visibilitychange", () => {
    // Browsers look by themselves when a page is opened. Without a network they look the next time.
    if (document.visibilityState === "visible") registration.update().catch(console.warn)
    else if (registration.waiting !== null && isSafe()) void updateHidden()
  })
}
