import { expect, test } from 'vitest'
import { sql, statementOf } from './sql.ts'

const found = (value: unknown) => sql`select id from tokens where id = ${value} and hash = ${'h'}`

test('values become parameters', () => {
  const parameters = ['t', 'h']
  const text = 'select id from tokens where id = ? and hash = ?'
  // Twice: the second time the text comes from the cache.
  expect(statementOf(found('t'), 'sqlite')).toEqual({ text, parameters })
  expect(statementOf(found('t'), 'sqlite')).toEqual({ text, parameters })
  expect(statementOf(found('t'), 'postgres').text).toBe('select id from tokens where id = $1 and hash = $2')
})

test('a template that was used with values alone still takes pieces of SQL', () => {
  statementOf(found('t'), 'postgres')
  expect(statementOf(found(sql`lower(${'T'})`), 'postgres')).toEqual({
    text: 'select id from tokens where id = lower($1) and hash = $2',
    parameters: ['T', 'h'],
  })
})

test('a row and changes are written by their columns', () => {
  const row = { id: 1, name: null, left_out: undefined }
  expect(statementOf(sql`insert into tokens ${sql.values(row)}`, 'postgres')).toEqual({
    text: 'insert into tokens ("id", "name") values ($1, $2)',
    parameters: [1, null],
  })
  expect(statementOf(sql`update tokens set ${sql.set(row)} where id = ${2}`, 'sqlite')).toEqual({
    text: 'update tokens set "id" = ?, "name" = ? where id = ?',
    parameters: [1, null, 2],
  })
})
