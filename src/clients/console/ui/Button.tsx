import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./Icon.tsx"

interface IconButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly onClick?: (event: MouseEvent) => void
  readonly isPressed?: boolean
  readonly isDisabled?: boolean
  readonly class?: string
}

/** A button that shows an icon. Its name is read aloud, and shown when the pointer rests on it. */
export const IconButton = ({ icon, isDisabled, isPressed, label, onClick, ...rest }: IconButtonProps) => (
  <button
    type="button"
    class={`icon-button ${rest.class ?? ""}`}
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    disabled={isDisabled}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly kind?: "main" | "plain" | "danger"
  readonly type?: "button" | "submit"
  readonly isDisabled?: boolean
  /** Whether the second click of a double click does nothing, because the action would be done twice. */
  readonly isOnce?: boolean
  /** The label for screen readers, if that does not name the thing. */
  readonly label?: string
}

export const Button = ({
  children,
  isDisabled,
  isOnce = false,
  kind = "plain",
  label,
  onClick,
  type = "button"
}: ButtonProps) => (
  <button
    type={type}
    class={`button ${kind}`}
    aria-label={label}
    disabled={isDisabled}
    onClick={({ detail }) => (isOnce && detail > 1 ? undefined : onClick?.())}
  >
    {children}
  </button>
)
