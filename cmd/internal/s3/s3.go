//go:build s3

package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
)

// open returns the store s3://BUCKET/PREFIX at the server and with the keys that the
// environment names as AWS's tools do: AWS_ENDPOINT_URL (that of AWS unless given),
// AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
func open(ctx context.Context, name string) (sweep.Store, error) {
	rest := strings.TrimPrefix(name, scheme)
	bucket, prefix, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return nil, fmt.Errorf("%s names no bucket; give s3://BUCKET/PREFIX", name)
	}
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if endpoint == "" {
		endpoint = "https://s3.amazonaws.com"
	}
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL: %q is no address; give one as in https://host:port", endpoint)
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: credentials.NewEnvAWS(), Secure: at.Scheme == "https", Region: os.Getenv("AWS_REGION"),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Bucket{ctx, client, bucket, strings.Trim(prefix, "/")}, nil
}

// Bucket is a [sweep.Store]. An object is written whole, so a journal is written
// again when some seconds have passed, and when it is closed: a process that is killed loses
// what ended in between.
type Bucket struct {
	ctx    context.Context
	client *minio.Client
	bucket string
	prefix string
}

// String returns the name.
func (b *Bucket) String() string { return "s3://" + path.Join(b.bucket, b.prefix) }

func (b *Bucket) key(name string) string { return path.Join(b.prefix, name) }

// Read gets an object.
func (b *Bucket) Read(name string) ([]byte, error) {
	o, err := b.client.GetObject(b.ctx, b.bucket, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	data, err := io.ReadAll(o)
	if minio.ToErrorResponse(err).Code == "NoSuchKey" {
		return nil, fs.ErrNotExist
	}
	return data, err
}

// Write puts an object.
func (b *Bucket) Write(name string, data []byte) error {
	_, err := b.client.PutObject(b.ctx, b.bucket, b.key(name), bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{})
	return err
}

// List lists the objects under a folder.
func (b *Bucket) List(folder string) (names []string, err error) {
	prefix := b.key(folder) + "/"
	for o := range b.client.ListObjects(b.ctx, b.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if o.Err != nil {
			return nil, o.Err
		}
		names = append(names, folder+"/"+strings.TrimPrefix(o.Key, prefix))
	}
	slices.Sort(names)
	return names, nil
}

// Remove removes an object.
func (b *Bucket) Remove(name string) error {
	return b.client.RemoveObject(b.ctx, b.bucket, b.key(name), minio.RemoveObjectOptions{})
}

// often is how much time passes between two writes of a journal.
const often = 5 * time.Second

// Journal opens an object to add lines to.
func (b *Bucket) Journal(name string) (sweep.Journal, error) {
	data, err := b.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &journal{store: b, name: name, data: data, last: time.Now()}, nil
}

type journal struct {
	mu    sync.Mutex
	store *Bucket
	name  string
	data  []byte
	dirty bool
	last  time.Time
}

// Add adds a line.
func (j *journal) Add(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.data, j.dirty = append(j.data, line...), true
	if time.Since(j.last) < often {
		return nil
	}
	return j.write()
}

// Close writes what is not written.
func (j *journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.dirty {
		return nil
	}
	return j.write()
}

func (j *journal) write() error {
	j.dirty, j.last = false, time.Now()
	return j.store.Write(j.name, j.data)
}
