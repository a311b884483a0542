import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

type Props = {
  text: string
  label: string
  /** For programs, which are read as a whole. */
  tall?: boolean
}

/** A text for machines, to be copied: an address, a token, a command. */
export function CodeBlock({ text, label, tall = false }: Props) {
  return (
    <div className="relative">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
        tabIndex={0}
        aria-label={label}
        className={classNames(
          'overflow-auto rounded-md border border-line bg-sunk py-2.5 pr-22 pl-3',
          tall ? 'max-h-150' : 'max-h-60',
        )}
      >
        <pre className="font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} aria-label={`Copy: ${label}`} className="absolute top-2 right-2 bg-raised" />
    </div>
  )
}
