import { afterEach } from 'vitest'

const open = new Set<AbortController>()

/** One block of a stream, by the names of its lines. A comment is under the empty name. */
export type StreamEvent = Readonly<Record<string, string>>

/** What a client of server-sent events has heard. */
export type Heard = {
  response: Response
  events: StreamEvent[]
  /** The events of one name. */
  heard(name: string): StreamEvent[]
  ended(): boolean
  close(): void
}

/** Listens as an EventSource does, and keeps what it hears. */
export async function listenTo(url: string, headers: Readonly<Record<string, string>>): Promise<Heard> {
  const stream = new AbortController()
  open.add(stream)
  const response = await fetch(url, { headers, signal: stream.signal })
  const events: StreamEvent[] = []
  let isOver = false
  void (async () => {
    let text = ''
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        events.push(...blocks.map(parsed))
      }
    } catch {
      // The test has hung up.
    }
    isOver = true
  })()
  const heard = (name: string) => events.filter((one) => one.event === name)
  return { response, events, heard, ended: () => isOver, close: () => stream.abort() }
}

function parsed(block: string): StreamEvent {
  return Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
}

/** For each file that listens: no stream outlives its test. */
export function closeStreamsAfterEach(): void {
  afterEach(() => {
    for (const stream of open) stream.abort()
    open.clear()
  })
}
