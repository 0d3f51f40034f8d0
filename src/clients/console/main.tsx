import { render } from "preact"
import { readAccounts } from "./accounts/KeptAccounts.ts"
import { App } from "./App.tsx"
import { translation } from "./ChosenLanguage.ts"
import { texts } from "./Messages.ts"
import { notify } from "./ui/Notices.tsx"

if (translation) document.documentElement.lang = translation.lang

// A defect, or a refusal of the browser. Its console has the details.
addEventListener("unhandledrejection", () => notify(texts.unexpected))

// The accounts are read first, so that a signed-in user sees no form.
render(<App accounts={await readAccounts()} />, document.getElementById("app")!)

import("./AfterStart.ts").then(({ afterStart }) => afterStart()).catch(console.warn)

if (location.search.includes("shared="))
  import("./OnDemand.ts").then(({ showOutcome }) => showOutcome()).catch(console.warn)
