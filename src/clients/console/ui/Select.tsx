import { useId } from "preact/hooks"

interface SelectProps<Value extends string> {
  readonly label: string
  readonly hint?: string
  readonly value: Value
  readonly options: ReadonlyArray<readonly [value: Value, label: string]>
  readonly onValue: (value: Value) => void
  /** Whether only screen readers get the label, because the page shows what it is about. */
  readonly isLabelHidden?: boolean
  readonly isDisabled?: boolean
}

/** A choice of one of a few values. */
export const Select = <Value extends string>({
  hint,
  isDisabled,
  isLabelHidden = false,
  label,
  onValue,
  options,
  value
}: SelectProps<Value>) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? "visually-hidden" : ""}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-about`}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex]
          if (chosen !== undefined) onValue(chosen[0])
        }}
      >
        {options.map(([each, name]) => (
          <option key={each} value={each} selected={each === value}>
            {name}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p id={`${id}-about`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}
