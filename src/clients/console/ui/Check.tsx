import type { ComponentChildren } from "preact"

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
