import { render } from "preact"
import { readAccounts } from "./accounts/KeptAccounts.ts"
import { App } from "./App.tsx"
import { translation } from "./ChosenLanguage.ts"
import { texts } from "./Messages.ts"
import { pathTo } from "./PageData.ts"
import { notify } from "./ui/Notices.tsx"

if (translation) document.documentElement.lang = translation.lang

// A defect, or a refusal of the browser. Its console has the details.
addEventListener("unhandledrejection", () => notify(texts.unexpected))

/** Starts the service worker, and offers to reload the page when the server has a new version. */
const followUpdates = async (): Promise<void> => {
  const { serviceWorker } = navigator
  const registration = await serviceWorker.register(pathTo("/sw.js"), { scope: pathTo("/") })
  registration.addEventListener("updatefound", () => {
    // The first worker is that of this page.
    if (serviceWorker.controller === null) return
    notify(texts.newVersionOfServer, { label: texts.reload, run: () => location.reload() })
  })
  document.addEventListener("visibilitychange", () => {
    // Browsers look by themselves when a page is opened. Without a network they look the next time.
    if (document.visibilityState === "visible") registration.update().catch(console.warn)
  })
}

// The accounts are read first, so that a signed-in user sees no form.
render(<App accounts={await readAccounts()} />, document.getElementById("app")!)

// Without it, such as by plain HTTP from another host, the console works, but needs the network to open.
if ("serviceWorker" in navigator) void followUpdates().catch(console.warn)
