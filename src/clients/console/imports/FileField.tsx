import { useId, useLayoutEffect, useState } from "preact/hooks"
import { Icon } from "../ui/Icon.tsx"
import { sizeOf } from "./sizeOf.ts"

interface FileFieldProps {
  readonly label: string
  /** The hint while there is no file. */
  readonly lead: string
  /** The ends of names of files that are offered, such as `.zip`; none for any file. */
  readonly ends: ReadonlyArray<string>
  readonly file: File | undefined
  readonly error: string | undefined
  readonly onFile: (file: File) => void
}

/** A file, by a button or by a drop anywhere on the page. */
export const FileField = ({ ends, error, file, label, lead, onFile }: FileFieldProps) => {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const [first] = files ?? []
    if (first !== undefined) onFile(first)
  }
  useLayoutEffect(() => {
    // Wherever it is dropped: the browser would leave the page to open it.
    const over = (event: DragEvent) => (event.preventDefault(), setIsOver(true))
    const leave = () => setIsOver(false)
    const drop = (event: DragEvent) => {
      event.preventDefault()
      setIsOver(false)
      take(event.dataTransfer?.files)
    }
    addEventListener("dragover", over)
    addEventListener("dragleave", leave)
    addEventListener("drop", drop)
    return () => {
      removeEventListener("dragover", over)
      removeEventListener("dragleave", leave)
      removeEventListener("drop", drop)
    }
  })
  return (
    <div class="field">
      <label class={`drop ${isOver ? "over" : ""}`}>
        <input
          type="file"
          aria-label={label}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : id}
          accept={ends.length === 0 ? undefined : ends.join(",")}
          onChange={({ currentTarget }) => take(currentTarget.files)}
        />
        <Icon name="attach" />
        <span>{file === undefined ? lead : `${file.name} (${sizeOf(file.size)})`}</span>
      </label>
      {error !== undefined && (
        <p id={id} class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
