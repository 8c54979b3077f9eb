package listing

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// maxBatchLine is the greatest length of a line in bytes.
const maxBatchLine = 1 << 20

// Batch translates each line of in separately. The output line is the result, or "error: " and the message. It counts
// the lines in done.
func Batch(in io.Reader, to io.Writer, translate func(line string) (string, error), done *atomic.Int64) error {
	out := bufio.NewWriter(to)
	err := files.Lines(in, maxBatchLine, "", func(src []byte, failed error) error {
		var result string
		if failed == nil {
			result, failed = translate(strings.TrimRight(string(src), "\r\n"))
		}
		if failed != nil {
			result = "error: " + strings.ReplaceAll(failed.Error(), "\n", " ")
		}
		done.Add(1)
		_, err := out.WriteString(result + "\n")
		return err
	})
	return errors.Join(err, out.Flush())
}
