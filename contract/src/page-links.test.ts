import { describe, expect, it } from 'vitest'
import { pageDocumentMeta, pageNumbers } from './query-string.ts'

describe('pageNumbers', () => {
  it('shows all of fewer than 14 pages', () => {
    for (let last = 1; last < 14; last++) {
      const all = Array.from({ length: last }, (_, i) => i + 1)
      for (let current = 1; current <= last + 3; current++) expect(pageNumbers(current, last)).toEqual(all)
    }
  })

  it('shows 1 to 10 and the last two up to page 7', () => {
    for (const last of [14, 15, 20, 1000]) {
      for (let current = 1; current <= 7; current++) {
        expect(pageNumbers(current, last)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, '...', last - 1, last])
      }
    }
  })

  it('shows the first two and the last ten after page last - 7, and past the end', () => {
    for (const last of [14, 15, 20, 1000]) {
      const tail = Array.from({ length: 10 }, (_, i) => last - 9 + i)
      for (let current = Math.max(8, last - 6); current <= last + 5; current++) {
        expect(pageNumbers(current, last)).toEqual([1, 2, '...', ...tail])
      }
    }
  })

  it('shows three pages on either side in between', () => {
    for (const last of [15, 16, 40]) {
      for (let c = 8; c <= last - 7; c++) {
        const window = [c - 3, c - 2, c - 1, c, c + 1, c + 2, c + 3]
        expect(pageNumbers(c, last)).toEqual([1, 2, '...', ...window, '...', last - 1, last])
      }
    }
  })
})

describe('pageDocumentMeta', () => {
  const list = { per_page: 15, path: '/p', urlOf: (page: number) => `/p?page=${page}` }

  it('describes a page in the middle, in this order of keys', () => {
    const document = pageDocumentMeta({ ...list, page: 2, total: 40, count: 15 })
    expect(JSON.stringify(document)).toBe(
      JSON.stringify({
        links: { first: '/p?page=1', last: '/p?page=3', prev: '/p?page=1', next: '/p?page=3' },
        meta: {
          current_page: 2,
          from: 16,
          last_page: 3,
          links: [
            { url: '/p?page=1', label: '&laquo; Previous', page: 1, active: false },
            { url: '/p?page=1', label: '1', page: 1, active: false },
            { url: '/p?page=2', label: '2', page: 2, active: true },
            { url: '/p?page=3', label: '3', page: 3, active: false },
            { url: '/p?page=3', label: 'Next &raquo;', page: 3, active: false },
          ],
          path: '/p',
          per_page: 15,
          to: 30,
          total: 40,
        },
      }),
    )
  })

  it('describes an empty list', () => {
    const { links, meta } = pageDocumentMeta({ ...list, page: 1, total: 0, count: 0 })
    expect(links).toEqual({ first: '/p?page=1', last: '/p?page=1', prev: null, next: null })
    expect(meta).toMatchObject({ current_page: 1, from: null, to: null, last_page: 1, total: 0 })
    expect(meta.links).toEqual([
      { url: null, label: '&laquo; Previous', page: null, active: false },
      { url: '/p?page=1', label: '1', page: 1, active: true },
      { url: null, label: 'Next &raquo;', page: null, active: false },
    ])
  })

  it('describes the last page and one past the end', () => {
    const last = pageDocumentMeta({ ...list, page: 3, total: 40, count: 10 })
    expect(last.links).toMatchObject({ prev: '/p?page=2', next: null })
    expect(last.meta).toMatchObject({ from: 31, to: 40 })
    const past = pageDocumentMeta({ ...list, page: 9, total: 40, count: 0 })
    expect(past.links).toMatchObject({ last: '/p?page=3', prev: '/p?page=8', next: null })
    expect(past.meta).toMatchObject({ current_page: 9, from: null, to: null, last_page: 3 })
    expect(past.meta.links.some((link) => link.active)).toBe(false)
  })

  it('shows an ellipsis without a page', () => {
    const { meta } = pageDocumentMeta({ ...list, page: 1, total: 1000, count: 15 })
    expect(meta.links[11]).toEqual({ url: null, label: '...', page: null, active: false })
    expect(meta.links).toHaveLength(15)
  })
})
