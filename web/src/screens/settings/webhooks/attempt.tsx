import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import { ChevronRight } from 'lucide-react'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Pill } from '../../../components/pill.tsx'
import { formatMoment, formatMomentExactly } from '../../../format/moments.ts'
import { attemptWords } from './attempt-words.ts'

type Props = { attempt: DeliveryAttempt; number: number; isOpen: boolean }

/** One try, with its request and its response. */
export function Attempt({ attempt, number, isOpen }: Props) {
  const { at, status, ms, error, request, response } = attempt
  const { what, advice } = attemptWords(attempt)
  return (
    <details open={isOpen} className="group min-w-0 border-t border-line pt-3">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 rounded-sm text-sm">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-faint transition-transform group-open:rotate-90" />
        <Pill tint={error === null ? 'green' : 'red'}>{status ?? 'No response'}</Pill>
        <span className="font-medium">Try {number}</span>
        <span className="text-xs text-faint">
          <time dateTime={at} title={formatMomentExactly(at)}>
            {formatMoment(at)}
          </time>
          , {ms} ms
        </span>
      </summary>
      <div className="mt-3 grid grid-cols-1 gap-4">
        <div className="text-sm">
          <p className="wrap-anywhere">{what}</p>
          {advice !== undefined && <p className="wrap-anywhere text-quiet">{advice}</p>}
        </div>
        <Message title="Request" number={number} message={request} />
        {response && <Message title="Response" number={number} message={response} />}
      </div>
    </details>
  )
}

type MessageProps = { title: 'Request' | 'Response'; number: number; message: DeliveryAttempt['request'] }

function Message({ title, number, message: { headers, body } }: MessageProps) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const where = `${title.toLowerCase()} of try ${number}`
  return (
    <section aria-label={`${title} of try ${number}`} className="grid grid-cols-1 gap-1.5">
      <p className="text-xs font-medium text-quiet">{title}</p>
      {lines.length > 0 && <CodeBlock text={lines.join('\n')} label={`Headers of the ${where}`} />}
      {body === '' ? (
        <p className="text-xs text-faint">Without a body.</p>
      ) : (
        <CodeBlock text={readable(body)} label={`Body of the ${where}`} />
      )}
    </section>
  )
}

/** JSON on several lines. The log keeps the beginning of long bodies only, which is shown as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
