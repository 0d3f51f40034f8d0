import { render } from "preact"
import { readAccounts } from "./accounts/AccountStore.ts"
import { App } from "./App.tsx"
import { texts } from "./Messages.ts"
import { pathTo } from "./PageData.ts"
import { notify } from "./ui/Notices.tsx"

// A defect, or a refusal of the browser. Its console has the details.
addEventListener("unhandledrejection", () => notify(texts.unexpected))

// The accounts are read first, so that a signed-in user sees no form.
render(<App accounts={await readAccounts()} />, document.getElementById("app")!)

// Without it, such as by plain HTTP from another host, the console works, but needs the network to open.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register(pathTo("/sw.js"), { scope: pathTo("/") }).catch(console.warn)
}
