import { useState } from "preact/hooks"
import { administrationTexts, words } from "../ui/AdministrationMessages.ts"
import { Button } from "../ui/Button.tsx"
import { copying } from "../ui/copyText.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { saveFile } from "../ui/saveFile.ts"
import { texts } from "./FactorMessages.ts"

/** Prints a text instead of the page. */
const print = (title: string, text: string): void => {
  const article = document.createElement("article")
  article.className = "printed"
  const heading = Object.assign(document.createElement("h1"), { textContent: title })
  article.append(heading, Object.assign(document.createElement("pre"), { textContent: text }))
  document.body.append(article)
  addEventListener("afterprint", () => article.remove(), { once: true })
  globalThis.print()
}

interface RecoveryCodesProps {
  readonly codes: ReadonlyArray<string>
  readonly email: string
  readonly onClose: () => void
}

/** Recovery codes, which no other page shows. Only its button closes the dialog, and asks if they were not kept. */
export const RecoveryCodes = ({ codes, email, onClose }: RecoveryCodesProps) => {
  const [isKept, setIsKept] = useState(false)
  const text = codes.join("\n")
  const title = texts.codes.of(email, location.host)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsKept(true)
  }
  const download = () => {
    saveFile(new Blob([`${title}\n\n${text}\n`], { type: "text/plain" }), "sheaf-recovery-codes.txt")
    setIsKept(true)
  }
  return (
    <Dialog title={texts.codes.title} isModalOnly onClose={onClose}>
      <p>{texts.codes.lead}</p>
      <pre class="code" role="region" aria-label={texts.codes.title} tabIndex={0}>
        {text}
      </pre>
      <p class="actions start">
        {isSecureContext && <Button onClick={() => void copying(copy)}>{administrationTexts.copy}</Button>}
        <Button onClick={download}>{words.download}</Button>
        <Button onClick={() => (print(title, text), setIsKept(true))}>{texts.codes.print}</Button>
      </p>
      <footer class="actions">
        <Button kind="main" onClick={() => (isKept || confirm(texts.codes.unkept)) && onClose()}>
          {administrationTexts.done}
        </Button>
      </footer>
    </Dialog>
  )
}
