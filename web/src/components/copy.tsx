import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { classNames } from './class-names.ts'

/** Copies a text and says that it did. */
export function CopyButton({ text, label = 'Copy', ...rest }: ButtonProps & { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1600)
  }
  return (
    <Button size="small" onClick={copy} {...rest}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  )
}

/** Puts a text on the clipboard, also on pages without TLS, where browsers keep the clipboard from scripts. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'fixed opacity-0'
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body
  host.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** A text for machines, to be copied: an address, a token, a command. */
export function CodeBlock(props: {
  text: string
  label: string
  /** For programs, which are read as a whole. */
  tall?: boolean
}) {
  const { text, label, tall = false } = props
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
