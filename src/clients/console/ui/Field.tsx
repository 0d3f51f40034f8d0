import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

export interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly type?: "text" | "email" | "password" | "url" | "number" | "date" | "datetime-local"
  readonly error?: string | undefined
  readonly hint?: string | undefined
  readonly autocomplete?: string
  /** The keyboard of a phone. */
  readonly inputmode?: "numeric"
  /** Whether it has the focus when its dialog opens. */
  readonly autofocus?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly readOnly?: boolean
  readonly required?: boolean
  /** Values that are offered; others can be typed. */
  readonly choices?: ReadonlyArray<string>
}

/** An input with its label, and with what is wrong with its value. */
export const Field = ({ choices, error, hint, label, onValue, type = "text", ...input }: FieldProps) => {
  const id = useId()
  const about = error ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        list={choices === undefined ? undefined : `${id}-choices`}
        // Preact has a type of attributes for each type of input, and none for several.
        type={type as "text"}
        aria-invalid={error !== undefined}
        aria-describedby={about === undefined ? undefined : `${id}-about`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {choices !== undefined && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {about !== undefined && (
        <p
          id={`${id}-about`}
          class={error === undefined ? "hint" : "error"}
          role={error === undefined ? undefined : "alert"}
        >
          {about}
        </p>
      )}
    </div>
  )
}

interface CheckProps {
  readonly children: ComponentChildren
  readonly isChecked: boolean
  readonly onCheck: (isChecked: boolean) => void
  readonly isDisabled?: boolean
}

/** A check box with its label. */
export const Check = ({ children, isChecked, isDisabled, onCheck }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isChecked}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
    />
    <span>{children}</span>
  </label>
)
