import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

/** The way through a list that comes in pages; nothing where there is one. */
export function Pager({ page, pages, onPage }: { page: number; pages: number; onPage(page: number): void }) {
  if (pages <= 1) return null
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-end gap-3">
      <span data-numeric className="text-xs text-faint">
        Page {page} of {pages}
      </span>
      <span className="flex gap-1">
        <Button size="small" aria-label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden />
        </Button>
        <Button size="small" aria-label="Next page" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  )
}
