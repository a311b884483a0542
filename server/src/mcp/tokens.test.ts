import { describe, expect, it } from 'vitest'
import { estimateTokens, partOfText, TOKENS_MAX } from './record-text.ts'
import { boundedAnswer } from './server.ts'

const note = (id: string, body: string) => ({ type: 'notes', id, attributes: { title: 'T', custom_fields: { body } } })

describe('an answer that is too long for a model', () => {
  it('has its long texts cut, and says which', () => {
    const data = [note('1', 'a'.repeat(200_000)), note('2', 'short'), note('3', '資'.repeat(50_000))]
    const text = boundedAnswer({ data })
    expect(estimateTokens(text)).toBeLessThanOrEqual(TOKENS_MAX)
    const answer = JSON.parse(text)
    expect(answer.data[1]).toEqual(note('2', 'short'))
    expect(answer.truncated_texts).toEqual([
      { record: 'notes/1', field: 'custom_fields.body', shown: 5000, length: 200_000 },
      { record: 'notes/3', field: 'custom_fields.body', shown: 5000, length: 50_000 },
    ])
    expect(answer.data[0].attributes.custom_fields.body).toBe('a'.repeat(5000))
  })

  it('is not changed otherwise', () => {
    const structured = { data: [note('1', 'a'.repeat(90_000))] }
    expect(boundedAnswer(structured)).toBe(JSON.stringify(structured))
  })
})

it('the parts of a text are the text, also where a character has two units', () => {
  const text = '😀'.repeat(70_001)
  let read = ''
  while (read.length < text.length) {
    const part = partOfText(text, read.length)
    expect(part.isWellFormed()).toBe(true)
    read += part
  }
  expect(read).toBe(text)
})
