/** The body's text, null when none was sent, or that it cannot be read as UTF-8 JSON text. */
export type SentBody = { text: string | null; readable: boolean }

/** Undefined stands for whatever is no JSON: the operation says what is wrong with it, in its turn. */
export function parseJson({ text, readable }: SentBody): unknown {
  if (!readable || text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Likewise where no body at all means an empty one. */
export function parseOptionalJson(body: SentBody): unknown {
  return body.readable && body.text === null ? {} : parseJson(body)
}
