import type { Session } from "../../client/SheafClient.ts"
import { accountOf, device, keepAccount, takePage, withDevice } from "./KeptAccounts.ts"

/**
 * The script of the pages of the server on which people choose a password. The pages work without it; with it, the user
 * is signed in after the form, and the account has the language and the time zone of the browser.
 */

/** Adds what the server has to know of the browser to a form. */
const complete = (form: HTMLFormElement): void => {
  for (const [name, value] of Object.entries(device)) {
    const input = document.createElement("input")
    input.type = "hidden"
    input.name = `device_${name}`
    input.value = value
    form.append(input)
  }
}

/** Keeps the session in the page, which the server has started for the form, for the console. */
const signIn = async (meta: HTMLMetaElement): Promise<void> => {
  const session = JSON.parse(meta.content) as Session
  meta.remove()
  await keepAccount(await accountOf(session))
  const next = document.querySelector<HTMLAnchorElement>("a[data-next]")
  if (next !== null) location.replace(takePage() ?? next.href)
}

const offerCopy = (button: HTMLButtonElement): void => {
  const input = document.getElementById(button.dataset["copies"]!) as HTMLInputElement
  button.hidden = false
  button.addEventListener("click", () => {
    input.select()
    navigator.clipboard.writeText(input.value).then(
      () => (button.textContent = button.dataset["copied"] ?? ""),
      // The user or the browser refuses it. The text is selected.
      console.warn
    )
  })
}

for (const input of document.querySelectorAll<HTMLInputElement>("input[type=password]")) complete(input.form!)

// A sign-in by a provider has no form: its address says what the server has to know.
for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-signs-in]")) link.href = withDevice(link.href)

// Pages that came by plain HTTP from another host have no clipboard.
if (isSecureContext) document.querySelectorAll<HTMLButtonElement>("button[data-copies]").forEach(offerCopy)

const meta = document.querySelector<HTMLMetaElement>('meta[name="sheaf-session"]')
if (meta !== null) {
  // A browser that keeps nothing shows the form to sign in, with the address.
  const kept = signIn(meta).catch(console.warn)
  let isKept = false
  void kept.then(() => (isKept = true))
  // A page that is left earlier would lose the session.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (isKept || link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void kept.then(() => location.assign(link.href))
  })
}
