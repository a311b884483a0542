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
            // What every screen needs is one file that changes only with the packages.
            {
              name: 'foundation',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-router|router-core|history|react-query|query-core|store|react-store))[\\/]/,
            },
            // Each of them is smaller than the headers of a response.
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/ },
            { name: 'format', test: /web[\\/]src[\\/]format[\\/]/ },
            {
              name: 'drafts',
              test: /web[\\/]src[\\/](api[\\/](call|patch-record|problems|records|sending-queue)|drafts[\\/](drafts|queue|form-draft))\.ts/,
            },
            {
              name: 'controls',
              test: /web[\\/]src[\\/]components[\\/](class-names|button|tooltip|popover|controls|pill|select)\.ts/,
            },
            // Lists, boards and the pages of records need all of them. In one file they compress better.
            {
              name: 'properties',
              test: /web[\\/]src[\\/](properties[\\/]|drafts[\\/](property-draft|new-record|task-check|drafted-property)\.ts)/,
            },
            // What floats is needed by nearly all of them, and dozens of small files would cost more than they spare.
            {
              name: 'floating',
              test: /node_modules[\\/](@radix-ui|radix-ui|@floating-ui|aria-hidden|react-remove-scroll|cmdk)/,
            },
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
