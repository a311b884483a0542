import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import type { ButtonProps } from './button.tsx'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'

type Props = ButtonProps & { text: string; label?: string }

/** Copies a text and says that it did. */
export function CopyButton({ text, label = 'Copy', ...rest }: Props) {
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
