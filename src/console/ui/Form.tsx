import type { ComponentChildren } from "preact"

interface FormProps {
  readonly children: ComponentChildren
  readonly class?: string
  readonly onSubmit: () => unknown
}

/** A form whose fields a script sends. */
export const Form = ({ onSubmit, ...form }: FormProps) => (
  <form
    {...form}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  />
)
