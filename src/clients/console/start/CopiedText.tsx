import { useId } from "preact/hooks"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { administrationTexts } from "../ui/AdministrationMessages.ts"
import { texts } from "./StartMessages.ts"

interface CopiedTextProps {
  readonly label: string
  readonly value: string
  readonly hint?: string
}

/** A text for another program, with a button to copy it. */
export const CopiedText = ({ hint, label, value }: CopiedTextProps) => {
  const id = useId()
  return (
    <div class="field">
      <p id={id} class="label">
        {label}
      </p>
      <pre class="code" role="region" aria-labelledby={id} tabIndex={0}>
        {value}
      </pre>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {isSecureContext && (
        <p>
          <Button label={texts.copy(label)} onClick={() => void copyText(value)}>
            {administrationTexts.copy}
          </Button>
        </p>
      )}
    </div>
  )
}
