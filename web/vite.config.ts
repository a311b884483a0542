import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressFiles } from '../scripts/compress-files.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every screen needs: one file that changes only with the packages, and one of our own.
            { name: 'foundation', tags: ['$initial'], test: /node_modules/ },
            { name: 'application', tags: ['$initial'] },
            // A group takes what its files import, so each of these needs only those before it.
            // What lists, boards and the pages of records show and edit.
            { name: 'properties', test: /web[\\/]src[\\/](properties|fields)[\\/]|@tanstack/ },
            { name: 'list', test: /web[\\/]src[\\/]screens[\\/]records[\\/](records|record-table)\.tsx/ },
            { name: 'forms', test: /web[\\/]src[\\/](forms[\\/]|drafts[\\/]form-draft)/ },
            { name: 'record', test: /web[\\/]src[\\/]screens[\\/]record[\\/]record-page\.tsx/ },
          ],
        },
      },
    },
  },
  // While the application is worked on, the service is asked at its own address.
  server: { proxy: { '/api': process.env.KITH_URL ?? 'http://127.0.0.1:3000' } },
})

function compressed(): Plugin {
  return { name: 'compressed', apply: 'build', writeBundle: ({ dir = '' }) => compressFiles(dir) }
}
