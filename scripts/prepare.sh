#!/bin/sh
# After npm install: says which Node is used, builds the console, and makes the database that a first start begins from.
echo 'Atrium brings its own Node 24 for linux x64 and arm64 and uses it for every npm script; elsewhere it needs Node 24 or later.'
vite build console --logLevel warn ||
  echo 'The console was not built; npm run build:console says why. The API works without it.'
node --disable-warning=ExperimentalWarning scripts/prepare_database.ts ||
  echo 'The database for first starts was not made; a first start makes its own, which takes some seconds longer.'
