//go:build pin

// Package pin holds the version of h2spec, the HTTP/2 conformance suite, and of
// what it is built from; tools/install.sh builds it into .tools/bin.
package pin

import _ "github.com/summerwind/h2spec/cmd/h2spec"
