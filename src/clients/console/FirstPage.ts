/**
 * All that the first page has. Each module that is loaded on demand imports it, so that the first page is one file: what they
 * share with it would be many small files otherwise, which take more bytes and more requests.
 */
import "./App.tsx"
