import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../../components/copy.tsx'

/** A code, which a click copies. */
export function CopiedCode({ code }: { code: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(code)
    setCopied(true)
    setTimeout(() => setCopied(false), 1600)
  }
  const Icon = copied ? Check : Copy
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={copied ? `Copied ${code}` : `Copy the code ${code}`}
      className="group relative inline-flex min-h-6 max-w-full min-w-0 items-center rounded-sm px-1 py-0.5 font-mono text-xs text-faint hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{code}</span>
      {/* It lies over the end of the code, so that it takes no room while it is not seen. */}
      <span className="absolute inset-y-0 right-0 grid w-5 place-items-center rounded-sm bg-hover opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
        <Icon aria-hidden className="size-3" />
      </span>
    </button>
  )
}
