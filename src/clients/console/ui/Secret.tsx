import { useEffect, useId, useRef } from "preact/hooks"
import { administrationTexts } from "./AdministrationMessages.ts"
import { Button } from "./Button.tsx"
import { copyText } from "./copyText.ts"
import { keepFocus } from "./focusHeading.ts"

interface SecretProps {
  readonly label: string
  readonly value: string
  /** A note about it, such as that it is shown only once. */
  readonly hint: string
  readonly onDone: () => void
}

/** A text that the server shows once, with a button to copy it. It takes the focus when it appears. */
export const Secret = ({ hint, label, onDone, value }: SecretProps) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current!.focus()
    input.current!.select()
    return keepFocus
  }, [value])
  return (
    <div class="banner secret" role="group" aria-label={label}>
      <div class="field">
        <label for={id}>{label}</label>
        <input ref={input} id={id} readOnly value={value} aria-describedby={`${id}-hint`} />
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      </div>
      <p class="actions">
        {isSecureContext && (
          <Button kind="main" onClick={() => void copyText(value)}>
            {administrationTexts.copy}
          </Button>
        )}
        <Button onClick={onDone}>{administrationTexts.done}</Button>
      </p>
    </div>
  )
}
