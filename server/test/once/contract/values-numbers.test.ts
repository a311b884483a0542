import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'
import { writtenField } from '../../written-field.ts'

/** Sends the value as this very JSON text, which a program's own numbers could not carry. */
async function sentRaw(type: 'number' | 'currency', json: string) {
  const { api, field } = await newWorkspace()
  await field('companies', { name: 'It', type })
  return api.send('POST', '/companies', `{"name":"Acme","custom_fields":{"it":${json}}}`)
}

describe('4. Custom field values: a number is read as a number', () => {
  it('is written as a number or as a numeric string', async () => {
    const field = await writtenField('number')
    const cases: [unknown, number][] = [
      [0, 0],
      [-7, -7],
      [1.5, 1.5],
      [0.1, 0.1],
      [1e-7, 1e-7],
      [5e-324, 5e-324],
      [123456.789012345, 123456.789012345],
      ['0', 0],
      ['-0', 0],
      ['1.50', 1.5],
      [' 42 ', 42],
      ['+3', 3],
      ['1e3', 1000],
      ['-2.5E-2', -0.025],
    ]
    for (const [sent, shown] of cases) expect(await field.shown(sent), JSON.stringify(sent)).toBe(shown)
  })

  it('integers lie within ±2^53', async () => {
    const field = await writtenField('number')
    for (const edge of [2 ** 53, -(2 ** 53), 2 ** 53 - 1]) {
      expect(await field.shown(edge)).toBe(edge)
      expect(await field.shown(String(edge))).toBe(edge)
    }
    for (const beyond of [2 ** 53 + 2, -(2 ** 53) - 2, '9007199254740993', '-9007199254740993', 1e300, '1e16']) {
      expect(await field.refused(beyond), String(beyond)).toEqual({
        'custom_fields.it': [expect.stringMatching(/between -9007199254740992 and 9007199254740992/)],
      })
    }
  })

  it.each(['1e400', '-1e400'])('is finite: %s is refused', async (json) => {
    const answer = await sentRaw('number', json)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ 'custom_fields.it': ['The It must be a number.'] })
  })

  it.each([
    ['-0', '0'],
    ['1.0', '1'],
    ['1E2', '100'],
    ['100000000000000.25', '100000000000000.25'],
  ])('JSON %s is read as %s', async (sent, shown) => {
    const answer = await sentRaw('number', sent)
    expect(answer.text).toContain(`"it":${shown}}`)
  })

  it.each(['number', 'currency'] as const)('%s: nothing else is a number', async (type) => {
    const field = await writtenField(type)
    for (const value of ['abc', '1,5', '1 000', '0x10', 'Infinity', 'NaN', '1e400', '١٢', '$5', true, [], [1], {}]) {
      expect(await field.refused(value), JSON.stringify(value)).toEqual({
        'custom_fields.it': ['The It must be a number.'],
      })
    }
  })

  it.each(['number', 'currency'] as const)('%s: null clears it, and zero does not', async (type) => {
    const field = await writtenField(type)
    expect(await field.shown(null)).toBeNull()
    expect(await field.shown(0)).toBe(0)
  })
})

describe('4. Custom field values: a currency amount is read as a number and stored exactly', () => {
  it('is written as a number or as a numeric string, with up to 2 decimals by default', async () => {
    const field = await writtenField('currency')
    const cases: [unknown, number][] = [
      [0.1, 0.1],
      [0.2, 0.2],
      ['0.3', 0.3],
      ['0.30', 0.3],
      ['1.100', 1.1],
      [-19.99, -19.99],
      [1.005e2, 100.5],
      [4.35, 4.35],
      ['1000000.01', 1_000_000.01],
      ['70368744177663.99', 70_368_744_177_663.99],
      [70_368_744_177_663, 70_368_744_177_663],
    ]
    for (const [sent, shown] of cases) expect(await field.shown(sent), JSON.stringify(sent)).toBe(shown)
  })

  it('0.1 + 0.2 never appears', async () => {
    const field = await writtenField('currency')
    const problem = { 'custom_fields.it': ['The It must not have more than 2 decimals.'] }
    expect(await field.refused(0.1 + 0.2)).toEqual(problem)
    expect(await field.refused('0.30000000000000004')).toEqual(problem)
  })

  it.each([
    [0, [5, '5', '5.0', -1], [0.5, '0.5', 1e-9], 'a whole number'],
    [2, [5, 0.05, '0.05', '0.050'], [0.005, '0.001', '1e-3'], '2 decimals'],
    [3, [0.005, '12.345', '12.3450'], [0.0005, '12.3456'], '3 decimals'],
  ] as const)('a field with %i decimals takes no more', async (decimals, taken, refused, names) => {
    const field = await writtenField('currency', { settings: { currency: 'EUR', decimals } })
    for (const value of taken) expect(await field.shown(value)).toBe(Number(value))
    for (const value of refused) {
      expect(await field.refused(value), String(value)).toEqual({
        'custom_fields.it': [expect.stringContaining(names)],
      })
    }
  })

  it('an amount too large to be kept to the cent is refused', async () => {
    const field = await writtenField('currency')
    for (const value of [70_368_744_177_664, '-70368744177664', 1e21, '9007199254740993']) {
      expect(await field.refused(value)).toEqual({
        'custom_fields.it': [expect.stringContaining('less than 70368744177664')],
      })
    }
  })

  it.each(['0.1', '0.2', '19.99', '1234567.89', '70368744177663.99'])(
    'JSON %s is read as it was sent',
    async (json) => {
      const answer = await sentRaw('currency', json)
      expect(answer.text).toContain(`"it":${json}}`)
    },
  )

  it('the definition holds the ISO 4217 code', async () => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Price', type: 'currency', settings: { currency: 'kwd', decimals: 3 } })
    const { body } = await api.get('/custom-fields?entity_type=companies')
    expect(body.data.at(-1).attributes).toMatchObject({
      code: 'price',
      settings: { currency: 'KWD', decimals: 3 },
    })
    const unknown = { name: 'Cost', type: 'currency', settings: { currency: 'XYZZY' } }
    await expect(field('companies', unknown)).rejects.toThrow(/ISO 4217/)
    const digits = { name: 'Cost', type: 'currency', settings: { decimals: 1 } }
    await expect(field('companies', digits)).rejects.toThrow(/0, 2 or 3/)
  })
})
